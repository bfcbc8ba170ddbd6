/// The name that code shared with Apple's systems uses for `EdgeInsets`.
public typealias UIEdgeInsets = EdgeInsets

/// Holds the name `UIControl.State`, which code shared with Apple's systems uses for `ControlState`; a
/// control itself is a `Button`.
public enum UIControl {
    /// What a control is going through.
    public typealias State = ControlState
}

/// The name that code shared with Apple's systems uses for what a live photo's load gives.
public typealias RetrieveLivePhotoResult = LivePhotoLoadingInfoResult
