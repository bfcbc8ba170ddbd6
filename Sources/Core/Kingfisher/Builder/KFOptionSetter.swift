/// Collects the options and handlers of a load with modifiers.
///
/// Each modifier changes the result of `copyForMutation()` and returns it.
public protocol KFOptionSetter {
    /// The options of the load.
    var options: KingfisherParsedOptionsInfo { get nonmutating set }
    /// Called with the error of a failed load.
    var onFailureDelegate: Delegate<KingfisherError, Void> { get }
    /// Called with the result of a successful load.
    var onSuccessDelegate: Delegate<RetrieveImageResult, Void> { get }
    /// Called with bytes received and bytes expected.
    var onProgressDelegate: Delegate<(Int64, Int64), Void> { get }

    /// Returns the object that a modifier changes; by default `self`.
    func copyForMutation() -> Self
}

extension KFOptionSetter {
    /// Returns `self`, for classes whose modifiers change one object.
    public func copyForMutation() -> Self { self }

    func setting<Value>(
        _ option: WritableKeyPath<KingfisherParsedOptionsInfo, Value>, to value: Value
    ) -> Self {
        let setter = copyForMutation()
        setter.options[keyPath: option] = value
        return setter
    }
}
