/**
 * Draws the events of a turn as lines: Markdown, calls with their changes, thinking, permission requests.
 *
 * Promises: pure; all text from an agent is visible and indented, so that it cannot imitate a heading, a prompt or a
 * question of Continuo; every event that concerns the user is drawn once; memory between events is bounded.
 * Does not know: the terminal, the session, or who answers.
 */

export type { Pen } from "./calls.ts";
export {
  beginDrawing,
  type Drawing,
  type DrawingOptions,
  endDrawing,
  foldEvent,
  liveLines,
} from "./drawing.ts";
export { drawInput, type InputLine, type QueuedInput } from "./input-line.ts";
export { answerOf, drawQuestion, keysIn, oneKeyIn } from "./question.ts";
export { drawRequest, linesOfRequest } from "./request.ts";
export { describeResumption } from "./resumption.ts";
export { drawStatusLine } from "./status-line.ts";
