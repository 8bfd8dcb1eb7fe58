/** The version this bundle was built for, as in its address ("3.2"); set by build.mjs. */
declare const SVCPAY_VERSION: string;

/** The parts of the library by name, in the loader alone; set by build.mjs. */
declare const SVCPAY_PARTS: import('../loader/part').Parts;
