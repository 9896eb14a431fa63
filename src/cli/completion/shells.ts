/** The shells that have a script. */

export const SHELLS = ["bash", "zsh", "fish"] as const;

export type ShellName = (typeof SHELLS)[number];
