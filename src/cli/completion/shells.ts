/** The shells that there is a script for. */

export const SHELLS = ["bash", "zsh", "fish"] as const;

export type ShellName = (typeof SHELLS)[number];
