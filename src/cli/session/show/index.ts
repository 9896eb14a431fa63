/**
 * `session show`, `session follow` and `session copy`: a conversation on a terminal, as Markdown, or as JSON.
 *
 * Promises: whatever is left out is counted; a long session is shown while it is still being read.
 * Does not know: how the files of an agent are read.
 */

export { type BranchStep, everyBranch, openModelView, stepsOfBranch } from "./branches.ts";
export { type Conversation, type ConversationOptions, drawConversation } from "./conversation.ts";
export { runCopy } from "./copy.ts";
export { type FollowFlags, runFollow } from "./follow.ts";
export { describeHidden, type HiddenCounts, headingOf, inView, nothingHidden } from "./heading.ts";
export { showJson } from "./json.ts";
export { markdownOf } from "./plain.ts";
export { runShow, type ShowFlags } from "./show.ts";
export { showTurn } from "./show-turn.ts";
export { type View, type ViewFlags, viewOf } from "./view.ts";
