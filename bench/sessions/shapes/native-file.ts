/** The native file that a shape makes of a conversation. */

export interface NativeFile {
  readonly path: string;
  /** Records of a JSON Lines file. */
  readonly lines: readonly unknown[];
  readonly beside?: { readonly path: string; readonly text: string };
}
