/** The choices of a person for the viewer. They are kept for all pages of the machine, and outlive the server. */

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/**
 * The answer of `GET /v1/machine/preferences`. A `POST` contains the choices that change, and its answer has all of
 * them.
 */
export interface Preferences {
  readonly theme?: Theme;
  /** The handle under which the person writes in channels. */
  readonly channelName?: string;
}
