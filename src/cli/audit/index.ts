/**
 * `continuo audit`: prints who did something of consequence in a store, what, when, and from where.
 *
 * Promises: newest last; secrets of known forms are masked.
 * Does not know: which acts are recorded, and how long entries stay.
 */

export { addAuditCommand } from "./commands.ts";
