extension SessionDataTask {
    typealias Outcome = Result<ImageLoadingResult, KingfisherError>

    /// One caller. An object, because options are large and handed from stage to stage.
    final class Callback: Sendable {
        let options: KingfisherParsedOptionsInfo
        let progress: ProgressRelay?
        /// Open once the caller knows of its task.
        let gate = OutcomeGate()
        /// What the caller asks about a picture that it has.
        let revalidation: Revalidation?
        /// What bounds the memory of the caller's manager.
        let admission: AdmissionControl?
        private let completion: (@Sendable (Outcome) -> Void)?

        init(
            options: KingfisherParsedOptionsInfo, progress: ProgressRelay?,
            revalidation: Revalidation? = nil, admission: AdmissionControl? = nil,
            completion: (@Sendable (Outcome) -> Void)?
        ) {
            self.options = options
            self.progress = progress
            self.revalidation = revalidation
            self.admission = admission
            self.completion = completion
        }

        /// Reports what became of the transfer, after the caller has been told of its task.
        func complete(_ outcome: Outcome) {
            guard !gate.isOpen else { return report(outcome) }
            gate.pass { [self] in report(outcome) }
        }

        /// Reports that the picture which the caller has is still good.
        func confirm(_ arrival: ResponseArrival) {
            gate.pass { [self] in
                options.callbackQueue.execute { [revalidation] in revalidation?.confirm(arrival) }
            }
        }

        /// Reports that there is no transfer for the caller, or not any more.
        func fail(_ error: KingfisherError) { report(.failure(error)) }

        private func report(_ outcome: Outcome) {
            guard let completion else { return }
            if options.callbackQueue.isImmediate { return completion(outcome) }
            options.callbackQueue.execute { completion(outcome) }
        }
    }
}
