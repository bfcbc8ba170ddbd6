import Foundation
public import KingfisherImage

/// A button with a title and images: `button.kf.setImage(with: url, for: .normal)`.
///
/// Serves code written for UIKit (images by state) as well as for AppKit (`image` and `alternateImage`).
/// Holds what the button shows; a toolkit draws it, sets `isHighlighted` and `isFocused` and calls
/// `sendActions()`.
@MainActor open class Button: View {
    /// The words on the button; nil for none.
    open var title: String? {
        didSet { if title != oldValue { tellRenderer() } }
    }

    /// Whether the button can be used.
    open var isEnabled = true {
        didSet { if isEnabled != oldValue { tellRenderer() } }
    }

    /// Whether the button is pressed.
    open var isHighlighted = false {
        didSet { if isHighlighted != oldValue { tellRenderer() } }
    }

    /// Whether the button is switched on. Pressing it does not change this.
    open var isSelected = false {
        didSet { if isSelected != oldValue { tellRenderer() } }
    }

    /// Whether the keyboard works on the button.
    open var isFocused = false {
        didSet { if isFocused != oldValue { tellRenderer() } }
    }

    /// The image of a button that is pressed or switched on, where no image is set for just that state.
    open var alternateImage: Image? {
        didSet { if alternateImage !== oldValue { tellRenderer() } }
    }

    /// Called for each click, while the button is enabled.
    ///
    /// The button keeps the closure: one that names the button does so with `[weak button]`.
    public var onClick: (@MainActor () -> Void)?

    /// Images as they were set, without any fallback.
    private(set) var images: [ControlState: Image] = [:]
    private(set) var backgroundImages: [ControlState: Image] = [:]
    private var extent: Extent

    /// What `kf` keeps for the button.
    var loads = ButtonLoads()

    /// Makes a button; from any thread.
    nonisolated public init(title: String?) {
        self.title = title
        extent = Extent(title: title)
        super.init()
    }

    /// Makes a button without a title; from any thread.
    nonisolated public override convenience init() {
        self.init(title: nil)
    }

    /// What the button is going through.
    open var state: ControlState {
        var state = ControlState.normal
        if isHighlighted { state.insert(.highlighted) }
        if !isEnabled { state.insert(.disabled) }
        if isSelected { state.insert(.selected) }
        if isFocused { state.insert(.focused) }
        return state
    }

    /// Does what a click does: calls `onClick`, unless the button is disabled.
    open func sendActions() {
        if isEnabled { onClick?() }
    }

    /// What decides how large the button would like to be.
    private struct Extent: Equatable {
        var title: String?
        var image: CGSize?
        var background: CGSize?
    }

    private func tellRenderer() {
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

    /// Sets the image for `state`; nil lets that state use the one for the normal state.
    public func setImage(_ image: Image?, for state: ControlState) {
        guard image !== images[state] else { return }
        images[state] = image
        tellRenderer()
    }

    /// The image that was set for `state`, or else for the normal state.
    public func image(for state: ControlState) -> Image? {
        images[state] ?? images[.normal]
    }

    /// The image to draw now.
    ///
    /// That for just this state, focused or not; else `alternateImage` while pressed or switched on; else
    /// that for the normal state. As in UIKit, a state of several parts does not fall back on one of them.
    public var currentImage: Image? {
        let state = state
        let isAlternate = !state.isDisjoint(with: [.highlighted, .selected])
        return images.forExactly(state) ?? (isAlternate ? alternateImage : nil) ?? images[.normal]
    }

    /// Sets the image that lies behind everything for `state`; nil lets that state use the one for the
    /// normal state.
    public func setBackgroundImage(_ image: Image?, for state: ControlState) {
        guard image !== backgroundImages[state] else { return }
        backgroundImages[state] = image
        tellRenderer()
    }

    /// The image that was set to lie behind everything for `state`, or else for the normal state.
    public func backgroundImage(for state: ControlState) -> Image? {
        backgroundImages[state] ?? backgroundImages[.normal]
    }

    /// The image to draw behind everything now: that for just this state, focused or not, or else for the
    /// normal state.
    public var currentBackgroundImage: Image? {
        backgroundImages.forExactly(state) ?? backgroundImages[.normal]
    }
}

extension [ControlState: Image] {
    /// A pressed button usually has the keyboard's focus, too, which must not hide its image for
    /// `.highlighted`.
    fileprivate func forExactly(_ state: ControlState) -> Image? {
        self[state] ?? self[state.subtracting(.focused)]
    }
}

/// The name that code shared with Apple's systems uses for `Button`.
public typealias KFCrossPlatformButton = Button

extension Button: KingfisherCompatible {}
