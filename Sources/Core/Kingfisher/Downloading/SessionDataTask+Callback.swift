import KingfisherTransport

extension SessionDataTask {
    /// One caller. An object, because options are large and passed from stage to stage.
    final class Callback: Sendable {
        let options: KingfisherParsedOptionsInfo
        let progress: ProgressRelay?
        let observer: (any DownloadObserver)?
        let gate = CompletionGate()
        let validators: HTTPFreshness?
        let admission: AdmissionControl?
        private let completion: (@Sendable (DownloadOutcome) -> Void)?

        init(_ order: DownloadOrder, completion: (@Sendable (DownloadOutcome) -> Void)?) {
            options = order.options
            progress = order.progressBlock.map(ProgressRelay.init)
            observer = order.observer
            validators = order.validators
            admission = order.admission
            self.completion = completion
        }

        func complete(_ outcome: DownloadOutcome) {
            guard !gate.isOpen else { return report(outcome) }
            gate.pass { [self] in report(outcome) }
        }

        /// Reports that the caller has no transfer, without waiting for the gate.
        func fail(_ error: KingfisherError) { report(.failed(error)) }

        func report(_ outcome: DownloadOutcome) { completion?(outcome) }
    }
}
