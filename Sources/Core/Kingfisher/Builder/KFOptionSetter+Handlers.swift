extension KFOptionSetter {
    /// Sets a closure called on the main actor with bytes received and expected, if the size is known; nil
    /// removes it.
    public func onProgress(_ block: DownloadProgressBlock?) -> Self {
        let setter = copyForMutation()
        let spread = ProgressRelay.carried(block).map {
            block -> @MainActor @Sendable ((Int64, Int64)) -> Void in
            { progress in block(progress.0, progress.1) }
        }
        setter.onProgressDelegate.callOnMain(spread)
        return setter
    }

    /// Sets a closure called on the main actor with the image, after the transition if there is one; nil
    /// removes it.
    public func onSuccess(_ block: (@MainActor @Sendable (RetrieveImageResult) -> Void)?) -> Self {
        let setter = copyForMutation()
        setter.onSuccessDelegate.callOnMain(block)
        return setter
    }

    /// Sets a closure called on the main actor with the error of a failed load, including cancelled and
    /// superseded loads; nil removes it. A superseded load of a `KFImage` is not reported.
    public func onFailure(_ block: (@MainActor @Sendable (KingfisherError) -> Void)?) -> Self {
        let setter = copyForMutation()
        setter.onFailureDelegate.callOnMain(block)
        return setter
    }
}

extension Delegate where Input: Sendable, Output == Void {
    fileprivate func callOnMain(_ block: (@MainActor @Sendable (Input) -> Void)?) {
        let onMain = block.map { block -> @Sendable (Input) -> Void in
            { input in
                CallbackQueue.mainCurrentOrAsync.execute { MainActor.assumeIsolated { block(input) } }
            }
        }
        set(onMain)
    }
}
