/** The key `blobs` of `continuo.yaml`: where the bytes of large blobs are kept. */

import { z } from "zod";

export interface FileBlobs {
  readonly s3: {
    readonly endpoint?: string | undefined;
    readonly bucket: string;
    readonly region?: string | undefined;
    readonly prefix?: string | undefined;
  };
}

export const blobs: z.ZodType<FileBlobs> = z.strictObject({
  s3: z
    .strictObject({
      endpoint: z
        .url({ protocol: /^https?$/u })
        .max(1_000)
        .optional()
        .describe("The address of the service. Default: Amazon's for the region."),
      bucket: z
        .string()
        .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/u)
        .describe("The name of the bucket, which must exist."),
      region: z
        .string()
        .regex(/^[a-z0-9-]{1,64}$/u)
        .optional()
        .describe("The region of the bucket; auto for Cloudflare R2. Default: AWS_REGION, else us-east-1."),
      prefix: z
        .string()
        .regex(/^(?!\/)[A-Za-z0-9_./-]{0,200}$/u)
        .optional()
        .describe(
          "The beginning of the names of all objects, such as continuo/. Each store has its own. Default: none.",
        ),
    })
    .describe(
      "A bucket for blobs over 16 KiB; the credentials are AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN of the environment.",
    ),
});
