extension KF.Builder {
    /// Loads the image and shows it in `imageView`, as `imageView.kf.setImage(with:)` does.
    ///
    /// Returns a task to cancel the load with; nil when it has completed already.
    @MainActor @discardableResult
    public func set(to imageView: KFCrossPlatformImageView) -> DownloadTask? {
        imageView.kf.setImage(
            with: source, placeholder: placeholder(), parsedOptions: options, progressBlock: progressBlock,
            completionHandler: completionHandler)
    }

    /// Loads the image and shows it in a text, as `attachment.kf.setImage(with:attributedView:)` does.
    ///
    /// `attributedView` is the view with the text; evaluated on the main actor when the image is there, and
    /// then drawn again. A placeholder that is no image is not shown.
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
    /// A placeholder that is no image is not shown.
    @MainActor @discardableResult
    public func set(to button: KFCrossPlatformButton, for state: ControlState) -> DownloadTask? {
        button.kf.setImage(
            with: source, for: state, placeholder: placeholderImage, parsedOptions: options,
            progressBlock: progressBlock, completionHandler: completionHandler)
    }

    /// Loads the image and shows it behind the contents of `button` in `state`, as
    /// `button.kf.setBackgroundImage(with:for:)` does.
    ///
    /// A placeholder that is no image is not shown.
    @MainActor @discardableResult
    public func setBackground(to button: KFCrossPlatformButton, for state: ControlState) -> DownloadTask? {
        button.kf.setBackgroundImage(
            with: source, for: state, placeholder: placeholderImage, parsedOptions: options,
            progressBlock: progressBlock, completionHandler: completionHandler)
    }

    /// Loads the image and shows it on `button` in the normal state, as `button.kf.setImage(with:)` does.
    ///
    /// A placeholder that is no image is not shown.
    @MainActor @discardableResult
    public func set(to button: KFCrossPlatformButton) -> DownloadTask? {
        set(to: button, for: .normal)
    }

    /// Loads the alternate image of `button`, as `button.kf.setAlternateImage(with:)` does.
    ///
    /// A placeholder that is no image is not shown.
    @MainActor @discardableResult
    public func setAlternative(to button: KFCrossPlatformButton) -> DownloadTask? {
        button.kf.setAlternateImage(
            with: source, placeholder: placeholderImage, parsedOptions: options,
            progressBlock: progressBlock, completionHandler: completionHandler)
    }

    /// The placeholder of places that take nothing but images.
    @MainActor private var placeholderImage: KFCrossPlatformImage? {
        placeholder() as? KFCrossPlatformImage
    }

    /// Nil where nobody listens, so that the load is spared the reports. Like the completion handler it keeps
    /// the builder, and with it the delegates, until the load has ended.
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
