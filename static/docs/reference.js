// The reference page: Redoc over the contract.
import * as Redoc from 'redoc/bundles/redoc.standalone.js';

const place = document.getElementById('reference');
Redoc.init(place.dataset.contract, { hideDownloadButton: true, nativeScrollbars: true, scrollYOffset: ".top" }, place);
