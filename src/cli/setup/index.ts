/**
 * `continuo setup`: wires Continuo into every agent that was used on this machine, and takes all of it back.
 *
 * Promises: what changes is shown first, and changed after one question; everything else in a file stays byte for byte, and
 * `--undo` gives a file back as it was; an agent or a file that cannot be wired is named with the reason. No network is used.
 * Does not know: how a settings file is edited, which `mcp/registering` does.
 */

export { addSetupCommand } from "./commands.ts";
