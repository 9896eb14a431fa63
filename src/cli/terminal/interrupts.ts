/** Ctrl-C among what was typed, in a terminal that does not make a signal of it. Pure. */

export const INTERRUPT = "\u0003";

/** How often, also where several come in one read; and what stands behind the last one: it throws away what is before. */
export function takeInterrupts(typed: string): { readonly interrupts: number; readonly keys: string } {
  const parts = typed.split(INTERRUPT);
  return { interrupts: parts.length - 1, keys: parts.at(-1) ?? "" };
}
