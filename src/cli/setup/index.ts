/**
 * `continuo setup`: adds Continuo to every agent that was used on this machine, and takes all of it back.
 *
 * Promises: all changes are shown first, and made after one question; everything else in a file stays byte for byte,
 * and `--undo` restores a file exactly; an agent or a file that cannot be set up is named with the reason. No network
 * is used.
 * Does not know: how a settings file is edited, which `mcp/registering` does.
 */

export { addSetupCommand } from "./commands.ts";
