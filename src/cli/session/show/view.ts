/** The view of a conversation. */

/** The parts that are shown, and their number. */
export interface View {
  readonly tools: "full" | "short" | "none";
  readonly injected: "show" | "hide";
  /** True if the messages are those of the model view; a note says so. */
  readonly isOfModel?: boolean;
  /** Direction marks and characters without width: they are kept in a file. */
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
