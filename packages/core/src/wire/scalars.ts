/**
 * Values on the wire that have rules. The schemas in `protocol/` refer to them: `@minLength`, `@pattern` and the like
 * are their keywords, and a word in place of a number is a key of `CHANNEL_LIMITS`.
 */

/**
 * A position in a log: 1, 2, 3 … without gaps. 0 comes before the first event.
 *
 * @type integer
 * @minimum 0
 * @maximum 9007199254740991
 */
export type Sequence = number;

/**
 * A whole number.
 *
 * @type integer
 * @minimum 0
 * @maximum 9007199254740991
 */
export type Count = number;

/**
 * A time span in milliseconds.
 *
 * @type integer
 * @minimum 0
 */
export type Milliseconds = number;

/**
 * A name that a client makes up and never uses twice, such as a UUID, without control characters.
 *
 * @minLength 1
 * @maxLength idLength
 * @pattern ^[^\u0000-\u001f\u007f-\u009f]+$
 */
export type Id = string;

/**
 * The name of a channel, a handle, a device or a workspace. It has no `:`, no `/`, no control character and no space at
 * either end, and is neither `.` nor `..`. A handle is not `*`.
 *
 * @minLength 1
 * @maxLength nameLength
 * @pattern ^[^:/\u0000-\u001f\u007f-\u009f]+$
 */
export type Name = string;

/**
 * The text of a message, or a part of it. All parts of one message together have the same limit.
 *
 * @maxLength messageLength
 */
export type MessageText = string;

/**
 * The name that people see in place of a handle.
 *
 * @maxLength displayNameLength
 */
export type DisplayName = string;

/**
 * `person`, `agent`, or the application's own word.
 *
 * @maxLength typeLength
 */
export type ParticipantType = string;

/**
 * An emoji or a short word, without control characters.
 *
 * @minLength 1
 * @maxLength reactionLength
 * @pattern ^[^\u0000-\u001f\u007f-\u009f]+$
 */
export type Reaction = string;

/**
 * A SHA-256 as 64 hex digits.
 *
 * @pattern ^[0-9a-f]{64}$
 */
export type Hash = string;

/**
 * ISO 8601 in UTC, with milliseconds: `2026-11-25T12:00:00.000Z`.
 *
 * @pattern ^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$
 */
export type Timestamp = string;
