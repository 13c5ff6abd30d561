// Errors of the client; svc-client.d.mts documents them.

const TEXT_CHARACTERS = 2_000; // of a text in an error: a node may send megabytes

export class SvcError extends Error {}
export class InvalidArgument extends SvcError {}
export class InvalidAnswer extends SvcError {}
export class Unreachable extends SvcError {}
export class Unanswered extends SvcError {}

export class ActionFailed extends SvcError {
  /** @param {any} answer of `/svc_action`, checked */
  constructor(answer) {
    const { error } = answer;
    super(textOf(`${error.name}: ${error.message}${error.fix ? ` ${error.fix}` : ""}`) ?? "");
    this.error = error;
    this.logs = answer.logs;
    this.chargedCents = answer.charged_cents;
    this.durationMs = answer.duration_ms;
  }
}

export class ApiError extends SvcError {
  /** @param {number} status @param {any} told the answer's JSON @param {string | null} requestId of its header */
  constructor(status, told, requestId) {
    const message = textOf(told.message) ?? `The node answered ${status}.`;
    const fix = textOf(told.fix);
    super(fix ? `${message} ${fix}` : message);
    this.status = status;
    this.code = textOf(told.error) ?? "unknown";
    this.fix = fix;
    this.requestId = textOf(told.request_id) ?? textOf(requestId);
    this.details = isObject(told.details) ? told.details : {};
  }
}

export class BadRequest extends ApiError {}
export class Unauthorized extends ApiError {}
export class PaymentRequired extends ApiError {}
export class NotFound extends ApiError {}
export class Conflict extends ApiError {}
export class RateLimited extends ApiError {}
export class ServerFault extends ApiError {}
export class Unavailable extends ApiError {}

export class Forbidden extends ApiError {
  get missing() {
    return textOf(this.details.missing);
  }
}

export class ChainTimeout extends ApiError {
  get transactionHash() {
    return textOf(this.details.transaction_hash);
  }
}

const ERRORS = {
  SvcError, InvalidArgument, InvalidAnswer, Unreachable, Unanswered, ActionFailed, ApiError, BadRequest, Unauthorized,
  PaymentRequired, Forbidden, NotFound, Conflict, RateLimited, ServerFault, Unavailable, ChainTimeout,
};
// Written out, since a bundler may shorten the names of classes.
for (const [name, kind] of Object.entries(ERRORS)) kind.prototype.name = name;

/** @type {{ [status: number]: typeof ApiError }} */
const BY_STATUS = {
  400: BadRequest, 401: Unauthorized, 402: PaymentRequired, 403: Forbidden, 404: NotFound, 405: BadRequest, 409: Conflict,
  413: BadRequest, 415: BadRequest, 429: RateLimited, 500: ServerFault, 503: Unavailable, 504: ChainTimeout,
};

/**
 * Returns the error that a refusal tells, by its status.
 * @param {number} status @param {unknown} told the answer's JSON, if it is any @param {string | null} requestId of its header
 */
export function refusalOf(status, told, requestId) {
  const kind = BY_STATUS[status] ?? ApiError;
  return new kind(status, isObject(told) ? told : {}, requestId);
}

/** @param {unknown} value */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @param {unknown} value */
function textOf(value) {
  return typeof value === "string" ? value.slice(0, TEXT_CHARACTERS) : null;
}
