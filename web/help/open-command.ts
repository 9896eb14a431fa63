/** The command that opens a page again. Pure. */

/** For a longer address, the command opens the first page. */
const MAX_ADDRESS_CHARS = 2_000;

/** Quotes the address for a shell, because a link of another person can contain any character. */
export function openCommand(address: string): string {
  const { origin, pathname, hash, href } = new URL(address);
  const shown = href.length > MAX_ADDRESS_CHARS ? origin : `${origin}${pathname}${hash}`;
  return `continuo view '${shown.replaceAll("'", "%27")}'`;
}
