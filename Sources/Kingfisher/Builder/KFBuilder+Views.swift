extension KF.Builder {
    /// Loads the picture and shows it in `imageView`, as `imageView.kf.setImage(with:)` does.
    ///
    /// Returns a task to cancel the load with; nil when it has completed already.
    @MainActor @discardableResult
    public func set(to imageView: KFCrossPlatformImageView) -> DownloadTask? {
        imageView.kf.setImage(
            with: source, placeholder: placeholder(), parsedOptions: options, progressBlock: progressBlock,
            completionHandler: completionHandler)
    }

    /// Nil where nobody listens, so that the load is spared the reports. Like the completion handler it keeps
    /// the builder, and with it the delegates, until the load has ended.
    private var progressBlock: ViewProgressBlock? {
        guard onProgressDelegate.isSet else { return nil }
        return { received, total in _ = self.onProgressDelegate((received, total)) }
    }

    private var completionHandler: ViewCompletionHandler {
        { result in
            switch result {
            case .success(let value): _ = self.onSuccessDelegate(value)
            case .failure(let error): _ = self.onFailureDelegate(error)
            }
        }
    }
}
