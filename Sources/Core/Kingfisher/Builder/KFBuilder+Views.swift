extension KF.Builder {
    /// Loads the image and shows it in `imageView`, as `imageView.kf.setImage(with:)` does.
    ///
    /// Returns a task that cancels the load; nil if it has completed.
    @MainActor @discardableResult
    public func set(to imageView: KFCrossPlatformImageView) -> DownloadTask? {
        imageView.kf.setImage(
            with: source, placeholder: placeholder(), parsedOptions: options, progressBlock: progressBlock,
            completionHandler: completionHandler)
    }

    /// Loads the image and shows it in a text, as `attachment.kf.setImage(with:attributedView:)` does.
    ///
    /// `attributedView` is the view that contains the text. It is evaluated on the main actor once the image
    /// is loaded, and then redrawn. A placeholder that is not an image is not shown.
    @MainActor @discardableResult
    public func set(
        to attachment: TextAttachment,
        attributedView: @autoclosure @escaping @MainActor () -> KFCrossPlatformView
    ) -> DownloadTask? {
        attachment.kf.setImage(
            with: source, attributedView: attributedView, placeholder: placeholderImage,
            parsedOptions: options, progressBlock: progressBlock, completionHandler: completionHandler)
    }

    /// Loads the image and shows it on `button` in `state`, as `button.kf.setImage(with:for:)` does.
    ///
    /// A placeholder that is not an image is not shown.
    @MainActor @discardableResult
    public func set(to button: KFCrossPlatformButton, for state: ControlState) -> DownloadTask? {
        button.kf.setImage(
            with: source, for: state, placeholder: placeholderImage, parsedOptions: options,
            progressBlock: progressBlock, completionHandler: completionHandler)
    }

    /// Loads the image and shows it as the background of `button` in `state`, as
    /// `button.kf.setBackgroundImage(with:for:)` does.
    ///
    /// A placeholder that is not an image is not shown.
    @MainActor @discardableResult
    public func setBackground(to button: KFCrossPlatformButton, for state: ControlState) -> DownloadTask? {
        button.kf.setBackgroundImage(
            with: source, for: state, placeholder: placeholderImage, parsedOptions: options,
            progressBlock: progressBlock, completionHandler: completionHandler)
    }

    /// Loads the image and shows it on `button` in the normal state, as `button.kf.setImage(with:)` does.
    ///
    /// A placeholder that is not an image is not shown.
    @MainActor @discardableResult
    public func set(to button: KFCrossPlatformButton) -> DownloadTask? {
        set(to: button, for: .normal)
    }

    /// Loads the alternate image of `button`, as `button.kf.setAlternateImage(with:)` does.
    ///
    /// A placeholder that is not an image is not shown.
    @MainActor @discardableResult
    public func setAlternative(to button: KFCrossPlatformButton) -> DownloadTask? {
        button.kf.setAlternateImage(
            with: source, placeholder: placeholderImage, parsedOptions: options,
            progressBlock: progressBlock, completionHandler: completionHandler)
    }

    @MainActor private var placeholderImage: KFCrossPlatformImage? {
        placeholder() as? KFCrossPlatformImage
    }

    /// Nil without a delegate, so that the load reports no progress. Like the completion handler, it retains
    /// the builder with its delegates until the load ends.
    private var progressBlock: DownloadProgressBlock? {
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
