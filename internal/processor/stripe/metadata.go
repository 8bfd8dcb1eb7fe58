package stripe

// Our names in the metadata of Stripe's objects.
const (
	ourReference = "svcpay_reference" // of an intent, a refund, or any other object that we create
	ourCapture   = "svcpay_capture"   // of an intent that was captured: the capture's reference
	ourAccount   = "svcpay_account"   // ID of our record of the Stripe account, which tells deployments apart
)

// marked is the metadata of an object that we create. id is the ID of our record of its Stripe account.
func marked(reference, id string) map[string]string {
	return map[string]string{ourReference: reference, ourAccount: id}
}

// referenceIn returns our reference in the metadata of an object. It returns "" for an object of another deployment
// with the same Stripe account. Objects of earlier versions don't name the deployment: they count as ours.
func referenceIn(metadata map[string]string, id string) string {
	if of := metadata[ourAccount]; of != "" && of != id {
		return ""
	}
	return metadata[ourReference]
}
