/**
 * Divides reads into turns: after a limited amount of work the event loop can do other things, even for one large read,
 * many concurrent reads, or a caller that reads repeatedly. A read stops between two of its statements and continues
 * in a later turn.
 */

import { LIMITS, type Work } from "../engine/index.ts";
import { type ActiveTransaction, begin, type Connection } from "./connection.ts";

interface Job {
  /** Runs statements until the read is done or the turn has no work left. */
  readonly resume: () => void;
}

export class Reads {
  readonly #connection: Connection;
  readonly #waiting: Job[] = [];
  #left: number = LIMITS.turnWork;
  #isTurnAsked = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Runs immediately, as far as this turn has work left. Errors: those of the rule and of the database, unchanged. */
  run<T>(work: Work<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      let running: ActiveTransaction<T> | undefined;
      const resume = (): void => {
        try {
          running ??= begin(work);
          this.#advance(running);
          if (running.step.done === true) resolve(running.step.value);
          else this.#wait({ resume });
        } catch (error) {
          reject(error);
        }
      };
      if (this.#left > 0 && this.#waiting.length === 0) resume();
      else this.#wait({ resume });
    });
  }

  /** Runs all reads to their end in this turn, because the database is about to be closed. */
  finish(): void {
    while (this.#waiting.length > 0) {
      this.#left = Number.POSITIVE_INFINITY;
      this.#waiting.shift()?.resume();
    }
  }

  #advance(running: ActiveTransaction<unknown>): void {
    while (running.step.done !== true && this.#left > 0) this.#left -= this.#connection.advance(running);
    this.#askForTurn();
  }

  #wait(job: Job): void {
    this.#waiting.push(job);
    this.#askForTurn();
  }

  #askForTurn(): void {
    if (this.#isTurnAsked) return;
    this.#isTurnAsked = true;
    setImmediate(() => {
      this.#isTurnAsked = false;
      this.#left = LIMITS.turnWork;
      while (this.#left > 0) {
        const job = this.#waiting.shift();
        if (job === undefined) return;
        job.resume();
      }
      // The remaining jobs wait for the next turn, and run before later ones.
      if (this.#waiting.length > 0) this.#askForTurn();
    });
  }
}
