/// Something that gathers the options and handlers of a load, one modifier at a time.
///
/// Each modifier changes what `copyForMutation()` gives, and returns that.
public protocol KFOptionSetter {
    /// The options of the load.
    var options: KingfisherParsedOptionsInfo { get nonmutating set }
    /// Called with the error of a load that failed.
    var onFailureDelegate: Delegate<KingfisherError, Void> { get }
    /// Called with what was loaded.
    var onSuccessDelegate: Delegate<RetrieveImageResult, Void> { get }
    /// Called with bytes received and bytes expected.
    var onProgressDelegate: Delegate<(Int64, Int64), Void> { get }

    /// What a modifier changes; itself by default.
    func copyForMutation() -> Self
}

extension KFOptionSetter {
    /// The setter itself, as for a class whose modifiers change the one object.
    public func copyForMutation() -> Self { self }

    /// The one way through which modifiers change options.
    func setting<Value>(
        _ option: WritableKeyPath<KingfisherParsedOptionsInfo, Value>, to value: Value
    ) -> Self {
        let setter = copyForMutation()
        setter.options[keyPath: option] = value
        return setter
    }
}
