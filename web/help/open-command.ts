/** The command that opens the address of a page again. Pure. */

/** A longer address is not worth a command. */
const MAX_ADDRESS = 2_000;

/** The command that opens an address again. It may be somebody's link: nothing in it ends the word of a shell. */
export function openCommand(address: string): string {
  const { origin, pathname, hash, href } = new URL(address);
  const shown = href.length > MAX_ADDRESS ? origin : `${origin}${pathname}${hash}`;
  return `continuo view '${shown.replaceAll("'", "%27")}'`;
}
