/** The view of a conversation. */

/** The parts of a conversation that are shown, and their form. */
export interface View {
  readonly tools: "full" | "short" | "none";
  readonly injected: "show" | "hide";
  /** True if the messages are those of the model view; a note says so. */
  readonly isOfModel?: boolean;
  /** `kept` in a file: direction marks and characters without width stay. */
  readonly invisible?: "kept";
}

export interface ViewFlags {
  readonly tools?: View["tools"];
  readonly injected?: true;
  readonly modelView?: true;
}

/** The model also receives injected messages. */
export function viewOf({ tools, injected, modelView }: ViewFlags, defaultTools: View["tools"]): View {
  const isOfModel = modelView === true;
  return { tools: tools ?? defaultTools, injected: injected || isOfModel ? "show" : "hide", isOfModel };
}
