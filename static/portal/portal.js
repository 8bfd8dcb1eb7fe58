// What the portal's pages do better with a script; without one they lose nothing but these. Everything listens
// on the document, because parts of pages come and go. htmx only asks for such parts, by attributes of links
// and forms that work without it.
import 'htmx.org';
import './place.js';
import './copy.js';
import './theme.js';
import './menus.js';
import './dialogs.js';
import './palette.js';
import './keys.js';
import './passkeys.js'; // before forms.js: it sends its forms itself
import './forms.js';
import './drafts.js';
import './lists.js';
import './tabs.js';
import './toasts.js';
import './session.js';
import './start.js';
