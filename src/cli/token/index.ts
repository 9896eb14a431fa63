/**
 * `continuo token …`: creates, lists and revokes the tokens of a server.
 *
 * Promises: works on the store, with or without a running server; a secret is printed only once.
 * Does not know: what a server does with a token.
 */

export { addTokenCommands, TOKEN_LIFE_DAYS } from "./commands.ts";
