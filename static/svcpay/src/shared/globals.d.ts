/** The version this bundle was built for, as in its address ("3.2"); set by build.mjs. */
declare const SVCPAY_VERSION: string;
