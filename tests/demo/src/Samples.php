<?php

declare(strict_types=1);

namespace FrankenShare\Demo;

/** A key for each type of value that the table holds, for the explorer to show. */
final class Samples
{
    /** @return array<string, mixed> */
    public static function all(): array
    {
        return [
            'sample:null' => null,
            'sample:bool' => true,
            'sample:int' => PHP_INT_MAX,
            'sample:float' => 0.1,
            'sample:float:zero' => -0.0,
            'sample:float:infinite' => INF,
            'sample:string' => 'Grüße, Ελλάδα',
            'sample:string:markup' => '<script>document.title = "broken"</script><img src=x onerror="document.title=1">',
            'sample:string:binary' => "PNG\x89\x00\xFF\n\\",
            "sample:key:binary\x00\xFE" => 'This key has a NUL byte and one that is no UTF-8.',
            'sample:array' => ['name' => 'Ada', 'born' => 1815, 'languages' => ['en', 'fr'], 'ratio' => 1.0],
            'sample:array:mixed' => ['suit' => Suit::Hearts, 'limit' => INF],
            'sample:enum' => Suit::Spades,
            'sample:object' => new Card(Suit::Hearts, 12),
        ];
    }
}

enum Suit: string
{
    case Hearts = 'hearts';
    case Spades = 'spades';
}

final class Card
{
    public function __construct(public readonly Suit $suit, public readonly int $rank)
    {
    }
}
