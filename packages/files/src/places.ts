/** Whose files are meant: a home folder, and the environment variables that move folders out of it. */

/** Passed in, so that a test or a server can name another home. */
export interface Places {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Places, and the folder that relative paths start from. */
export interface PlacesAt extends Places {
  readonly cwd: string;
}

export function placesOf({ home, env }: Places): Places {
  return { home, env };
}
