/// The name of `EdgeInsets` in code that is shared with Apple platforms.
public typealias UIEdgeInsets = EdgeInsets

/// The namespace of `UIControl.State`, for code that is shared with Apple platforms. The control itself is a
/// `Button`.
public enum UIControl {
    /// The state of a control.
    public typealias State = ControlState
}

/// The name of `LivePhotoLoadingInfoResult` in code that is shared with Apple platforms.
public typealias RetrieveLivePhotoResult = LivePhotoLoadingInfoResult
