import KingfisherTransport

extension SessionDataTask {
    typealias Outcome = Result<ImageLoadingResult, KingfisherError>

    /// One caller. An object, because options are large and handed from stage to stage.
    final class Callback: Sendable {
        let options: KingfisherParsedOptionsInfo
        let progress: ProgressRelay?
        /// Open once the caller knows of its task.
        let gate = OutcomeGate()
        /// What the caller asks about an image that it has.
        let validators: HTTPFreshness?
        /// What bounds the memory of the caller's manager.
        let admission: AdmissionControl?
        private let completion: (@Sendable (DownloadOutcome) -> Void)?

        init(_ order: DownloadOrder, completion: (@Sendable (DownloadOutcome) -> Void)?) {
            options = order.options
            progress = order.progressBlock.map(ProgressRelay.init)
            validators = order.validators
            admission = order.admission
            self.completion = completion
        }

        /// Reports what became of the transfer, after the caller has been told of its task.
        func complete(_ outcome: Outcome) {
            let outcome = DownloadOutcome(outcome)
            guard !gate.isOpen else { return report(outcome) }
            gate.pass { [self] in report(outcome) }
        }

        /// Reports that the image which the caller has is still good.
        func confirm(_ arrival: ResponseArrival) {
            gate.pass { [self] in report(.confirmed(arrival)) }
        }

        /// Reports that there is no transfer for the caller, or not any more.
        func fail(_ error: KingfisherError) { report(.failed(error)) }

        func report(_ outcome: DownloadOutcome) {
            guard let completion else { return }
            if options.callbackQueue.isImmediate { return completion(outcome) }
            options.callbackQueue.execute { completion(outcome) }
        }
    }
}
