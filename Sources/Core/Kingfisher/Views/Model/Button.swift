import Foundation
public import KingfisherImage

/// A button with a title and images: `button.kf.setImage(with: url, for: .normal)`.
///
/// Supports code written for UIKit (images by state) and for AppKit (`image` and `alternateImage`). The
/// button holds the state; a toolkit draws it, sets `isHighlighted` and `isFocused` and calls
/// `sendActions()`.
@MainActor open class Button: View {
    /// The text of the button; nil for none.
    open var title: String? {
        didSet {
            guard title != oldValue else { return }
            notifyRenderer()
            accessibilityDidChange()
        }
    }

    /// Whether the button can be used.
    open var isEnabled = true {
        didSet { if isEnabled != oldValue { notifyRenderer() } }
    }

    /// Whether the button is pressed.
    open var isHighlighted = false {
        didSet { if isHighlighted != oldValue { notifyRenderer() } }
    }

    /// Whether the button is selected. A click does not change this.
    open var isSelected = false {
        didSet { if isSelected != oldValue { notifyRenderer() } }
    }

    /// Whether the button has the keyboard focus.
    open var isFocused = false {
        didSet { if isFocused != oldValue { notifyRenderer() } }
    }

    /// The image of a pressed or selected button, if no image is set for exactly that state.
    open var alternateImage: Image? {
        didSet { if alternateImage !== oldValue { notifyRenderer() } }
    }

    /// Called for each click, if the button is enabled.
    ///
    /// The button retains the closure, so a closure that uses the button needs `[weak button]`.
    public var onClick: (@MainActor () -> Void)?

    private(set) var images: [ControlState: Image] = [:]
    private(set) var backgroundImages: [ControlState: Image] = [:]
    private var extent: Extent

    var loads = ButtonLoads()

    /// Creates a button; callable from any thread.
    nonisolated public init(title: String?) {
        self.title = title
        extent = Extent(title: title)
        super.init()
    }

    /// Creates a button without a title; callable from any thread.
    nonisolated public override convenience init() {
        self.init(title: nil)
    }

    /// The state of the button.
    open var state: ControlState {
        var state = ControlState.normal
        if isHighlighted { state.insert(.highlighted) }
        if !isEnabled { state.insert(.disabled) }
        if isSelected { state.insert(.selected) }
        if isFocused { state.insert(.focused) }
        return state
    }

    /// A button; named by `alternativeText` or its title. Busy during the load of any of its images.
    open override var accessibility: ViewAccessibility {
        ViewAccessibility(role: .button, label: alternativeText ?? title, isBusy: loads.areRunning)
    }

    /// Loads files that changed while the button was not on screen (`.watchesFile`), once the main thread is
    /// free.
    open override func displayDidChange() {
        guard loads.all.contains(where: { $0.load.watch != nil }) else { return }
        Task { [weak self] in
            for (_, load) in self?.loads.all ?? [] { load.watch?.check() }
        }
    }

    /// Performs a click: calls `onClick`, unless the button is disabled.
    open func sendActions() {
        if isEnabled { onClick?() }
    }

    private struct Extent: Equatable {
        var title: String?
        var image: CGSize?
        var background: CGSize?
    }

    private func notifyRenderer() {
        let old = extent
        extent = Extent(
            title: title, image: currentImage?.size, background: currentBackgroundImage?.size)
        renderer?.viewDidChange(extent == old ? .content : .size)
    }
}

extension Button {
    /// The image for the normal state.
    public var image: Image? {
        get { images[.normal] }
        set { setImage(newValue, for: .normal) }
    }

    /// Sets the image for `state`; with nil, the state uses the image of the normal state.
    public func setImage(_ image: Image?, for state: ControlState) {
        guard image !== images[state] else { return }
        images[state] = image
        notifyRenderer()
    }

    /// Returns the image for `state`, or that for the normal state if none is set.
    public func image(for state: ControlState) -> Image? {
        images[state] ?? images[.normal]
    }

    /// The image to draw.
    ///
    /// The image for exactly this state, with or without focus; otherwise `alternateImage` if the button is
    /// pressed or selected; otherwise the image for the normal state. As in UIKit, a combined state does not
    /// fall back to one of its parts.
    public var currentImage: Image? {
        let state = state
        let isAlternate = !state.isDisjoint(with: [.highlighted, .selected])
        return images.forExactly(state) ?? (isAlternate ? alternateImage : nil) ?? images[.normal]
    }

    /// Sets the background image for `state`; with nil, the state uses the image of the normal state.
    public func setBackgroundImage(_ image: Image?, for state: ControlState) {
        guard image !== backgroundImages[state] else { return }
        backgroundImages[state] = image
        notifyRenderer()
    }

    /// Returns the background image for `state`, or that for the normal state if none is set.
    public func backgroundImage(for state: ControlState) -> Image? {
        backgroundImages[state] ?? backgroundImages[.normal]
    }

    /// The background image to draw: that for exactly this state, with or without focus, or that for the
    /// normal state.
    public var currentBackgroundImage: Image? {
        backgroundImages.forExactly(state) ?? backgroundImages[.normal]
    }
}

extension [ControlState: Image] {
    /// A pressed button usually has the keyboard focus; it must still use its image for `.highlighted`.
    fileprivate func forExactly(_ state: ControlState) -> Image? {
        self[state] ?? self[state.subtracting(.focused)]
    }
}

/// The name that code shared with Apple's systems uses for `Button`.
public typealias KFCrossPlatformButton = Button

extension Button: KingfisherCompatible {}
