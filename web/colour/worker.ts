/** Colours code off the main thread. */
export {};
