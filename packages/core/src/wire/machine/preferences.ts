/** The choices of a person for the viewer. They are kept for all pages of the machine, and outlive the server. */

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** The answer of `GET /v1/machine/preferences`. `POST` sends the ones that change, and is answered with all. */
export interface Preferences {
  readonly theme?: Theme;
  /** The handle under which the person writes in channels. */
  readonly channelName?: string;
}
