/** The folders of a user: the home, and the environment variables that put folders elsewhere. */

/** A parameter of most functions, so that tests and servers can use another home. */
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
