/** The marks that a person sets on sessions: `POST /v1/machine/sessions/KEY/marks`. */

/** They are kept by Continuo on this machine; no file of an agent changes. */
export interface SessionMarks {
  /** Listed above the others. */
  readonly pinned: boolean;
  /** In alphabetical order. */
  readonly tags: readonly string[];
}

/** A field that is left out changes nothing. */
export interface MarkRequest {
  readonly pinned?: boolean;
  /** Lower-case letters, digits and `._/-`, at most 40 characters; a session has at most 20 tags. */
  readonly addTags?: readonly string[];
  readonly removeTags?: readonly string[];
}
