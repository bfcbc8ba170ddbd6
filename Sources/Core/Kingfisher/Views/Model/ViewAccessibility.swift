/// What assistive technology, such as a screen reader, reports about a view.
public struct ViewAccessibility: Hashable, Sendable {
    /// The kind of a view.
    public enum Role: Hashable, Sendable, CaseIterable {
        /// An image.
        case image
        /// A button.
        case button
        /// An indicator of progress.
        case progress
        /// A container of other views.
        case group
    }

    /// The kind of the view.
    public var role: Role
    /// The name of the view; nil or empty for none.
    public var label: String?
    /// Whether the content of the view is loading.
    public var isBusy: Bool
    /// Further information about the view, such as its zoom; nil for none.
    public var description: String?

    /// Creates a description of a view.
    public init(role: Role, label: String? = nil, isBusy: Bool = false, description: String? = nil) {
        self.role = role
        self.label = label
        self.isBusy = isBusy
        self.description = description
    }

    /// Whether the view is decorative: its label is empty, and it is not a button. It is hidden from
    /// assistive technology together with its subviews.
    public var isDecorative: Bool { role != .button && label?.isEmpty == true }
}
