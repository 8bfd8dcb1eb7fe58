// Where there is no room for all tabs, that of this page is in view.
import { all, appear } from './on.js';

const middle = (element) => {
  const { left, width } = element.getBoundingClientRect();
  return left + width / 2;
};

appear((root) => {
  for (const here of all(root, '.tabbar a[aria-current]')) {
    const bar = here.closest('.tabbar');
    bar.scrollLeft += middle(here) - middle(bar);
  }
});
