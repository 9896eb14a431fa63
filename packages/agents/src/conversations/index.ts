/**
 * Conversations: a session of Continuo's with the agent that answers in it, which is opened, continued, forked or
 * handed to another agent.
 *
 * Promises: every turn is a run; the outcome of a continuation is reported; programs that a project names start only
 * if the project is trusted; the agent's program ends however the conversation is left.
 * Does not know: the protocol of any agent, how a run is stored, how a turn is shown.
 */

export type { EarlierTurn } from "./earlier-turn.ts";
export type { TalkFlags } from "./flags.ts";
export { type HandOverOptions, handOver } from "./hand-over.ts";
export { TALK_LIMITS } from "./limits.ts";
export { checkAgent, type LogInOptions, logIn, logOut } from "./log-in.ts";
export type { TurnResult } from "./run.ts";
export { matchPrompt, PROMPT_MATCHES, type SentPrompt, textsOfPrompt } from "./sent-prompts.ts";
export { agentsAt, assertServersReadable, defaultAgent, installedAgents, readSettings } from "./settings.ts";
export {
  answerQuestion,
  type OpenQuestion,
  openQuestionsOf,
  requestIn,
  type StoredQuestion,
  storedAnswer,
} from "./shared-questions.ts";
export {
  step,
  type TalkChange,
  type TalkEffect,
  type TalkSetting,
  type TalkState,
  type TalkStep,
} from "./state.ts";
export { takeNativeTurns } from "./take-native-turns.ts";
export { openTalk } from "./talk.ts";
export type { Talk, TalkOptions } from "./talk-types.ts";
