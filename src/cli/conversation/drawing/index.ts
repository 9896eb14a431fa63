/**
 * What an agent does in a turn, drawn as lines: Markdown as it comes, calls as short panels with what they
 * change, thinking dimmed, questions for permission.
 *
 * Promises: pure; everything of an agent is made visible, and indented, so that nothing it says can look like a
 * heading, a prompt or a question of ours; every event of a turn that a person should know of is drawn once;
 * what is held between events is bounded.
 * Does not know: the terminal, the session, or who is asked.
 */

export { type ChangedFile, changesOf, type DiffLine, diffLines } from "./changes.ts";
export {
  beginDrawing,
  type Drawing,
  type DrawingOptions,
  endDrawing,
  foldEvent,
  liveLines,
  type Step,
} from "./drawing.ts";
export { type Answer, answerOf, drawQuestion, oneKeyIn, questionKeys } from "./question.ts";
export { describeResumption, type ResumptionFacts } from "./resumption.ts";
