extension KFOptionSetter {
    /// Hears of bytes received and bytes expected, on the main actor, while the size is known; nil ends that.
    public func onProgress(_ block: DownloadProgressBlock?) -> Self {
        let setter = copyForMutation()
        let spread = ProgressRelay.carried(block).map {
            block -> @MainActor @Sendable ((Int64, Int64)) -> Void in
            { progress in block(progress.0, progress.1) }
        }
        setter.onProgressDelegate.callOnMain(spread)
        return setter
    }

    /// Hears of the image, on the main actor, after the transition, if there is one; nil ends that.
    public func onSuccess(_ block: (@MainActor @Sendable (RetrieveImageResult) -> Void)?) -> Self {
        let setter = copyForMutation()
        setter.onSuccessDelegate.callOnMain(block)
        return setter
    }

    /// Hears why the load failed, on the main actor: cancelled and overtaken loads fail, too; nil ends that.
    public func onFailure(_ block: (@MainActor @Sendable (KingfisherError) -> Void)?) -> Self {
        let setter = copyForMutation()
        setter.onFailureDelegate.callOnMain(block)
        return setter
    }
}

extension Delegate where Input: Sendable, Output == Void {
    /// Takes a closure that has no target: it lives as long as the delegate itself.
    fileprivate func callOnMain(_ block: (@MainActor @Sendable (Input) -> Void)?) {
        let bound = block.map { block -> @Sendable (Delegate, Input) -> Void in
            { _, input in
                CallbackQueue.mainCurrentOrAsync.execute {
                    MainActor.assumeIsolated { block(input) }
                }
            }
        }
        delegate(on: self, block: bound)
    }
}
