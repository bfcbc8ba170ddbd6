import Foundation

/// Drives the loads of one view as the values that the view shows describe them. Owned by the view.
@MainActor final class ImageBinder<HoldingView: ImageView>: ImageViewBinding {
    private enum Phase {
        /// The load runs, or waits until the view appears.
        case loading
        /// The image is shown, there is no source, or the application has loaded another image.
        case ended
        /// The load starts again when the view leaves the screen and returns.
        case failed
    }

    private var context: KFImage.Context<HoldingView>
    /// Nil after the view was emptied.
    private var identity: KFImage.Context<HoldingView>.Identity?
    private var phase = Phase.loading
    /// Counts loads. One with an older number is superseded.
    private var number = 0
    private var progress = Progress(parent: nil)
    private var placeholder: (any Placeholder)?
    private let host = PlaceholderHost()
    private var wasSeen = false
    private var cancelledOnDisappearing = false

    init(_ context: KFImage.Context<HoldingView>) {
        self.context = context
        identity = .init(context)
    }

    func bind(to view: HoldingView) {
        view.store(self, as: \.binding)
        view.contentMode = context.settings.contentMode
        if let text = context.settings.alternativeText { view.alternativeText = text }
        configure(view)
        start(in: view)
    }

    func update(_ view: HoldingView, to new: KFImage.Context<HoldingView>) {
        let old = context
        context = new
        let contentMode = new.settings.contentMode
        if contentMode != old.settings.contentMode { view.contentMode = contentMode }
        let text = new.settings.alternativeText
        if text != old.settings.alternativeText { view.alternativeText = text }
        configure(view)
        let identity = KFImage.Context<HoldingView>.Identity(new)
        guard identity != self.identity else { return view.startWaitingLoad() }
        self.identity = identity
        let isLoading = phase == .loading
        number += 1
        if isLoading, old.settings.cancelsOnDisappearing { view.kf.cancelDownloadTask() }
        start(in: view)
    }

    private func configure(_ view: HoldingView) {
        view.kf.loadsOnAppear = !context.settings.startsBeforeAppearing
        // Otherwise the program, or the list of a recycled cell, decides.
        if context.settings.cancelsOnDisappearing {
            view.kf.cancelOnDisappear = .zero
        } else if cancelledOnDisappearing {
            view.kf.cancelOnDisappear = nil
        }
        cancelledOnDisappearing = context.settings.cancelsOnDisappearing
        for configure in context.settings.configurations { configure(view) }
    }

    // MARK: Display

    var followsDisplay: Bool { phase == .failed }

    func displayDidChange(of view: ImageView) {
        let appears = view.isSeen && !wasSeen
        wasSeen = view.isSeen
        // The view may have started a load itself.
        if phase == .failed, appears, view.kf.taskIdentifier == nil { start(in: view) }
    }

    func viewWillBeEmptied() {
        number += 1
        phase = .ended
        identity = nil
    }

    // MARK: Loads

    private func makePlaceholder() {
        progress = Progress(parent: nil)
        switch context.settings.waiting {
        case .nothing: placeholder = nil
        case .placeholder(let make): placeholder = make()
        case .view(let make, _):
            host.show(make(progress))
            placeholder = host
        }
    }

    private func start(in view: ImageView) {
        makePlaceholder()
        phase = .loading
        number += 1
        var options = context.options
        if context.settings.failureView != nil { options.onFailureImage = nil }
        let number = number
        // Not strong: the view owns a load that waits for its layout.
        view.kf.setImage(
            with: context.source, placeholder: placeholder, parsedOptions: options,
            progressBlock: context.wantsProgress
                ? { [weak view] in self.load(number, of: view, didReceive: $0, of: $1) } : nil,
            completionHandler: { [weak view] in self.load(number, of: view, didEndWith: $0) })
    }

    private func load(_ number: Int, of view: ImageView?, didReceive received: Int64, of total: Int64) {
        guard number == self.number else { return }
        (progress.totalUnitCount, progress.completedUnitCount) = (total, received)
        // A kept image or a preview may be shown instead of the placeholder.
        if case .view(let make, followsProgress: true) = context.settings.waiting, host.superview === view {
            host.show(make(progress))
        }
        _ = context.onProgressDelegate((received, total))
    }

    private func load(
        _ number: Int, of view: ImageView?, didEndWith result: Result<RetrieveImageResult, KingfisherError>
    ) {
        guard number == self.number else { return }
        switch result {
        case .success:
            phase = .ended
            host.clear()
        case .failure(let error) where error.isNotCurrentTask:
            phase = .ended
            return
        case .failure:
            phase = context.source == nil ? .ended : .failed
            wasSeen = view?.isSeen == true
            if let view { showFailure(in: view) }
        }
        // Asynchronously: a toolkit must not see its state change while it makes or updates views.
        CallbackQueue.mainAsync.execute { [context] in
            switch result {
            case .success(let value): _ = context.onSuccessDelegate(value)
            case .failure(let error): _ = context.onFailureDelegate(error)
            }
        }
    }

    private func showFailure(in view: ImageView) {
        let options = context.options
        if let failureView = context.settings.failureView {
            host.show(failureView())
            ImageViewTarget(view: view, placeholder: host).showPlaceholder(options: options)
        } else if context.source == nil, let image = options.onFailureImage {
            ImageViewTarget(view: view, placeholder: nil).showSubstitute(image, options: options)
        }
    }
}

extension KFImage.Context {
    fileprivate var wantsProgress: Bool {
        if case .view(_, followsProgress: true) = settings.waiting { return true }
        return onProgressDelegate.isSet
    }
}
