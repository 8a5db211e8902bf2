<?php

// Classes whose objects the scenarios store.

enum Suit: string
{
	case Hearts = 'H';
	case Spades = 'S';
}

enum Plain
{
	case One;
	case Two;
}

class Point
{
	protected array $tags = ['a' => 1];
	private ?Point $next = null;

	public function __construct(public int|float $x, public mixed $y, ?Point $next = null)
	{
		$this->next = $next;
	}

	public function next(): ?Point
	{
		return $this->next;
	}
}

/**
 * Says itself what it keeps.
 */
final class Money
{
	public int $reads = 0;

	public function __construct(private int $cents, private string $currency)
	{
	}

	public function __serialize(): array
	{
		return ['money' => "$this->cents $this->currency"];
	}

	public function __unserialize(array $data): void
	{
		[$cents, $this->currency] = explode(' ', $data['money']);
		$this->cents = (int) $cents;
	}
}

/**
 * An object in whose hooks the request comes to its end, in the way that is armed.
 */
final class Trap
{
	public static ?string $armed = null;

	public function __construct(public int $payload = 7)
	{
	}

	public function __serialize(): array
	{
		self::spring();
		return [$this->payload];
	}

	public function __unserialize(array $data): void
	{
		$this->payload = $data[0];
		self::spring();
	}

	public static function spring(): void
	{
		switch (self::$armed) {
			case null:
				return;
			case 'exit':
				exit('the trap says goodbye');
			case 'throw':
				throw new DomainException('the trap throws');
			case 'error':
				a_function_that_does_not_exist();
			case 'user_error':
				trigger_error('the trap raises an error', E_USER_ERROR);
			case 'time':
				set_time_limit(1);
				for (;;) {
				}
			case 'memory':
				str_repeat('x', 1 << 30);
			case 'drop':
			case 'leave':
				Fiber::suspend();
		}
	}
}

/**
 * Makes trouble when it is to be stored in a mutex.
 */
final class Difficult
{
	public function __construct(private string $how, private FrankenPHP\SharedMutex $mutex)
	{
	}

	public function __serialize(): array
	{
		return match ($this->how) {
			'throw' => throw new LogicException('not now'),
			'nested' => $this->mutex->withLock(fn () => []),
		};
	}
}
