/** The version this bundle was built for, as in its address ("3.2"); set by build.mjs. */
declare const SVCPAY_VERSION: string;

/** The parts of the library by name, in the loader alone; set by build.mjs. */
declare const SVCPAY_PARTS: import('../loader/part').Parts;

/** Where the words of each language but English are, in the controller alone; set by build.mjs. */
declare const SVCPAY_LOCALES: Record<string, string>;

/** What card fields load, in the controller alone; set by build.mjs. */
declare const SVCPAY_CARD: string[];

/** Where the part is that reads card swipers, in card fields alone; set by build.mjs. */
declare const SVCPAY_SWIPER: string;

/** Where the part is that finds proofs of work, in the controller alone; set by build.mjs. */
declare const SVCPAY_PROOF: string;
