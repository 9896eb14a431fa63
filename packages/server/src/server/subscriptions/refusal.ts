/** Refusals as the protocol defines them: each has its own code and a status. */

const STATUS = {
  INVALID_REQUEST: 400,
  SUBSCRIPTION_NOT_FOUND: 404,
  SUBSCRIPTION_ALREADY_EXISTS: 409,
  WEBHOOK_URL_REJECTED: 400,
  TOKEN_INVALID: 401,
  TOKEN_EXPIRED: 401,
  FENCED: 409,
  ALREADY_CLAIMED: 409,
  NO_PENDING_WORK: 409,
  INVALID_OFFSET: 409,
} as const;

export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: keyof typeof STATUS;
  readonly more: Readonly<Record<string, unknown>>;

  constructor(code: keyof typeof STATUS, message: string, more: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.more = more;
  }

  toResponse(): Response {
    const { code, message, more } = this;
    return Response.json({ error: { code, message, ...more } }, { status: STATUS[code] });
  }
}
