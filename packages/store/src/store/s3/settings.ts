/** Settings of a bucket, and credentials from the environment. */

import { ContinuoError, present } from "@continuo/core/model";
import { invalid } from "../rules/index.ts";

export interface S3Settings {
  /** `https://s3.eu-central-1.amazonaws.com`, or the address of another service; Amazon's of the region by default. */
  readonly endpoint?: string;
  readonly bucket: string;
  /**
   * The default is `AWS_REGION`, otherwise `AWS_DEFAULT_REGION`, otherwise `us-east-1`. For Cloudflare R2 it is `auto`.
   */
  readonly region?: string;
  /** The beginning of the names of all objects, such as `continuo/`. One store has one prefix. */
  readonly prefix?: string;
}

export interface Bucket {
  /** The address of the bucket, without a slash at its end. */
  readonly url: string;
  readonly name: string;
  readonly region: string;
  readonly prefix: string;
  readonly credentials: Credentials;
}

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/u;
/** Characters that no service or proxy encodes in another way. */
const PREFIX = /^(?!\/)[A-Za-z0-9_./-]{0,200}$/u;

const KEYS: readonly string[] = ["endpoint", "bucket", "region", "prefix"];

/** Errors: `invalid`. */
export function assertS3Settings(settings: S3Settings): void {
  const unknown = Object.keys(settings).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) throw invalid(`blobs.s3 has no setting ${JSON.stringify(unknown)}`);
  const { endpoint, bucket, region, prefix = "" } = settings;
  if (typeof bucket !== "string" || !BUCKET.test(bucket)) {
    throw invalid("blobs.s3.bucket must be the name of a bucket", { bucket });
  }
  if (endpoint !== undefined && !isEndpoint(endpoint)) {
    throw invalid("blobs.s3.endpoint must be an http or https address without a path or a query", {
      endpoint,
    });
  }
  if (region !== undefined && !/^[a-z0-9-]{1,64}$/u.test(region)) {
    throw invalid("blobs.s3.region must be the name of a region, such as eu-central-1", { region });
  }
  if (!PREFIX.test(prefix) || prefix.split("/").some((part) => part === "." || part === "..")) {
    throw invalid("blobs.s3.prefix must be a path such as continuo/", { prefix });
  }
}

function isEndpoint(endpoint: string): boolean {
  const url = URL.parse(endpoint);
  const isPlain = url !== null && /^https?:$/u.test(url.protocol) && url.username === "" && url.search === "";
  return isPlain && url.pathname === "/" && url.hash === "";
}

/** Errors: `invalid`, also if the environment has no credentials. */
export function bucketOf(settings: S3Settings, env: Environment): Bucket {
  assertS3Settings(settings);
  const region = settings.region ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? "us-east-1";
  const endpoint = settings.endpoint ?? `https://s3.${region}.amazonaws.com`;
  const prefix = settings.prefix ?? "";
  return {
    url: `${endpoint.replace(/\/$/u, "")}/${settings.bucket}`,
    name: settings.bucket,
    region,
    prefix: prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`,
    credentials: credentialsOf(env),
  };
}

function credentialsOf(env: Environment): Credentials {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (!accessKeyId || !secretAccessKey) {
    throw new ContinuoError("invalid", "blobs.s3 needs credentials, and the environment has none", {
      hint: "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
    });
  }
  return {
    accessKeyId,
    secretAccessKey,
    ...present({ sessionToken: env.AWS_SESSION_TOKEN || undefined }),
  };
}
