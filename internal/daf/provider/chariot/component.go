package chariot

// The addresses of Chariot's component, and of the pages of funds that it opens.
const (
	componentFiles  = "https://cdn.givechariot.com"
	componentPages  = "https://secure.dafpay.com"
	componentScript = "/chariot-connect.umd.js"
)

// Component is where Chariot's component is loaded from: the address of its script, and the origins of its files and of
// the pages that it shows.
type Component struct{ Script, Files, Pages string }

// Component returns where the component is. An API at another address than Chariot's own has a component of its own.
func (p *Provider) Component() Component {
	if own := p.config.API; own != liveAPI && own != sandboxAPI {
		return Component{own + componentScript, own, own}
	}
	return Component{componentFiles + componentScript, componentFiles, componentPages}
}
