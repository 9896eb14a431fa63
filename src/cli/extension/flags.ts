/** The flags of `extension`, as commander gives them. */

export interface ExtensionFlags {
  readonly open: boolean;
  readonly json?: true;
}
