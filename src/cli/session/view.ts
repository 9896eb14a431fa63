/** How a conversation is looked at. */

/** What is shown, and how much of it. */
export interface View {
  readonly tools: "full" | "short" | "none";
  readonly injected: "show" | "hide";
}
