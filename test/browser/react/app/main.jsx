// A shop in StrictMode, which mounts everything twice. What is in it, and with which properties, the test says through
// window.show: {provider, fields}, the fields by the id of their container as {as, on, props}. What the handlers named in
// `on` are called with is in window.seen, the fields' refs are in window.handles.
import { StrictMode, createElement, useRef, version } from 'react';
import { createRoot } from 'react-dom/client';
import * as svcpay from '@svcpay/react';

const seen = (window.seen = []);
const handles = (window.handles = {});
window.reactVersion = version;

function State() {
  window.payments = svcpay.useSvcPay();
  return <output>{window.payments.status}</output>;
}

/** A field by the hook, in an element of the page's own. */
function Hooked({ id, type, props }) {
  const { ref, ready, error, field } = svcpay.useField(type, props);
  handles[id] = field;
  return <section id={id} ref={ref} data-ready={ready} data-error={error?.code} />;
}

function Field({ id, as, on = [], props }) {
  const ref = useRef((handle) => void (handles[id] = handle));
  if (!svcpay[as]) return <Hooked id={id} type={as} props={props} />;
  const handlers = Object.fromEntries(on.map((name) => [name, (event) => seen.push([id, name, event])]));
  return createElement(svcpay[as], { id, ref: ref.current, ...handlers, ...props });
}

function Shop({ provider, fields }) {
  return (
    <svcpay.SvcPayProvider {...provider}>
      <State />
      {Object.entries(fields).map(([id, field]) => (
        <div key={id}>
          <label htmlFor={id}>{id}</label>
          <Field id={id} {...field} />
        </div>
      ))}
    </svcpay.SvcPayProvider>
  );
}

const root = createRoot(document.querySelector('#root'));
window.show = (what) => root.render(<StrictMode>{what && <Shop {...what} />}</StrictMode>);
